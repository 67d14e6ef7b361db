import type { Machine } from './machine.js';
import { isReached, type SectionResult, type Spread, spreadOf, spreadOfRatios } from './rounds.js';
import type { Comparison, Figure, Target } from './section.js';

const KIBIBYTE = 1_024;
const MEBIBYTE = 1_024 * KIBIBYTE;
const LONGEST_FAILURE = 200;

const HEADINGS = [
  'section',
  'program',
  'per second',
  'p50 ms',
  'p99 ms',
  'service / this (range)',
  'target',
  'CPU ms',
  'database ms',
  'KiB allocated',
  'KiB held',
  'MiB',
];

/** A table in Markdown: a line for each program, with what the targets ask of it. */
export function tableOf(results: readonly SectionResult[]): string {
  const lines = results.flatMap(linesOf);
  return [HEADINGS, HEADINGS.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function linesOf({ section, contenders, rounds }: SectionResult): string[][] {
  return contenders.map((name, index) => {
    const of = (figure: Figure) => spreadOf(rounds.map((round) => round.get(name)?.[figure]));
    const targets = section.targets.filter(({ line }) => line === name);
    const comparisons = [...targets, ...(section.comparisons?.filter(({ line }) => line === name) ?? [])];
    const failure = rounds.map((round) => round.get(name)?.failure).find(Boolean);
    return [
      index === 0 ? section.name : '',
      name,
      figure(of('perSecond'), 1, 0),
      figure(of('p50Ms'), 1, 2),
      figure(of('p99Ms'), 1, 2),
      failure
        ? inOneLine(failure)
        : comparisons.map((it) => ratioText(it, spreadOfRatios(it, rounds))).join('; '),
      targets.map((target) => targetText(target, spreadOfRatios(target, rounds))).join('; '),
      figure(of('cpuMs'), 1, 3),
      figure(of('databaseMs'), 1, 3),
      figure(of('allocatedBytes'), KIBIBYTE, 1),
      figure(of('heldBytes'), KIBIBYTE, 1),
      figure(of('memoryBytes'), MEBIBYTE, 0),
    ];
  });
}

/** Removes line breaks and bars, which end a cell. */
function inOneLine(text: string): string {
  return `failed: ${text.replaceAll(/[\s|]+/g, ' ').slice(0, LONGEST_FAILURE)}`;
}

function figure(spread: Spread | undefined, unit: number, digits: number): string {
  if (!spread) return '';
  return (spread.median / unit).toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

function ratioText({ label }: Comparison, spread: Spread | undefined): string {
  if (!spread) return '';
  const [median, least, most] = [spread.median, spread.least, spread.most].map((value) => value.toFixed(2));
  const told = label === 'service / this' ? '' : `${label}: `;
  return `${told}${median} (${least} to ${most})`;
}

function targetText(target: Target, spread: Spread | undefined): string {
  const bound = `${target.isMinimum ? '≥' : '≤'} ${target.bound}`;
  if (!spread) return bound;
  return `${bound} ${isReached(target, spread) ? 'reached' : '**missed**'}`;
}

/** The whole page: how it was measured, on what, and the table. */
export function pageOf(
  results: readonly SectionResult[],
  machine: Machine,
  measured: { readonly at: Date; readonly commit: string; readonly rounds: number; readonly seconds: number },
): string {
  return `# Measured on ${measured.at.toISOString().slice(0, 10)}

${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB; ${machine.system}; Node ${machine.node};
PostgreSQL ${machine.postgres} with its default durability. Load before the run: ${machine.loadBefore.toFixed(2)}.
Commit ${measured.commit}. ${measured.rounds} rounds of ${measured.seconds} s each, in turns; medians.

${tableOf(results)}

${results.map(({ section }) => `- **${section.name}**: ${section.asks}`).join('\n')}
`;
}
