import type { VersionFigures } from '../../api/version-statistics.js';
import { numberText, roundCostText, uncostedText } from '../../components/amounts.js';
import { durationText } from '../../components/duration.js';

/** A line of the comparison of config versions; its text of a version is null where there is nothing to say. */
export interface VersionMeasure {
  readonly label: string;
  readonly text: (figures: VersionFigures) => string | null;
}

/** The properties by which config versions are compared. */
export const VERSION_MEASURES: readonly VersionMeasure[] = [
  { label: 'Runs', text: ({ runs }) => numberText(runs) },
  {
    label: 'Succeeded',
    text: ({ success_rate: rate, succeeded, failed }) =>
      rate === null
        ? null
        : `${percent(rate)} (${numberText(succeeded)} of ${numberText(succeeded + failed)})`,
  },
  {
    label: 'Median duration',
    text: ({ running_seconds: times }) => times && durationText(times.p50 * 1_000),
  },
  {
    label: '95th percentile',
    text: ({ running_seconds: times }) => times && durationText(times.p95 * 1_000),
  },
  {
    label: 'Cost of a run',
    text: ({ cost_usd_per_run: cost, uncosted_calls }) =>
      cost && [roundCostText(cost), uncostedText({ uncosted_calls })].filter(Boolean).join(' and '),
  },
];

/** A share in per cent, rounded down: 100 % is all. */
const percent = (share: number): string => `${Math.floor(share * 1_000) / 10} %`;
