import type { Usage, UsageReport, UsageRow } from '../api/usage.js';
import { numberText, roundCostText, uncostedText } from './amounts.js';
import { allTokens } from './tokens.js';

const MS = { hour: 3_600_000, day: 86_400_000 } as const;

/** The values in a chart of usage. */
export interface Measure {
  readonly value: string;
  readonly label: string;
  readonly of: (usage: Usage) => number;
  readonly text: (usage: Usage) => string;
}

export const MEASURES: readonly Measure[] = [
  {
    value: 'cost',
    label: 'Cost',
    of: ({ cost_usd }) => Number(cost_usd),
    text: (usage) => [roundCostText(usage.cost_usd), uncostedText(usage)].filter(Boolean).join(' and '),
  },
  {
    value: 'tokens',
    label: 'Tokens',
    of: allTokens,
    text: (usage) => `${numberText(allTokens(usage))} tokens`,
  },
  {
    value: 'calls',
    label: 'Calls',
    of: ({ llm_calls }) => llm_calls,
    text: ({ llm_calls: models, tool_calls: tools }) =>
      `${numberText(models)} LLM calls, ${numberText(tools)} tool calls`,
  },
];

/** An hour or a day of a chart. */
export interface UsagePoint {
  /** Milliseconds since 1970; its beginning. */
  readonly at: number;
  readonly value: number;
  readonly text: string;
}

/** A point for each day or hour of the report, those without usage included. Pure. */
export function usagePoints(report: UsageReport, { of, text }: Measure): UsagePoint[] {
  const step = report.group_by === 'hour' ? MS.hour : MS.day;
  const rows = new Map(report.rows.map((row) => [beginningOf(row), row]));
  const points: UsagePoint[] = [];
  const first = Math.floor(Date.parse(report.since) / step) * step;
  for (let at = first; at < Date.parse(report.until); at += step) {
    const row = rows.get(at);
    points.push({ at, value: row ? of(row) : 0, text: row ? text(row) : 'Nothing' });
  }
  return points;
}

const beginningOf = ({ day, hour }: UsageRow): number => Date.parse(hour ?? day ?? '');
