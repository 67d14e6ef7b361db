/** The unit of a metric, from its name. */
export interface MetricKind {
  readonly unit: MetricUnit;
  /** Factor from the metric's values to those of the unit's scales. */
  readonly factor: number;
  /** True: a total that only rises, so its rate is of interest. */
  readonly isCounter: boolean;
}

export type MetricUnit = 'bytes' | 'seconds' | 'percent' | 'dollars' | 'number';

/** A unit that the values of a chart are shown in. */
export interface Scale {
  /** Factor from the metric's values to the shown ones. */
  readonly factor: number;
  /** `MiB/s`; empty: a mere number. */
  readonly symbol: string;
}

const KIB = 1_024;
const MINUTE = 60;
/** Symbols of each unit, smallest first, with their sizes. Numbers are shortened by their format. */
const SYMBOLS: Readonly<Record<MetricUnit, readonly (readonly [symbol: string, size: number])[]>> = {
  bytes: ['B', 'KiB', 'MiB', 'GiB', 'TiB'].map((symbol, power) => [symbol, KIB ** power] as const),
  seconds: [
    ['ns', 1e-9],
    ['µs', 1e-6],
    ['ms', 1e-3],
    ['s', 1],
    ['min', MINUTE],
    ['h', MINUTE * MINUTE],
  ],
  percent: [['%', 1]],
  dollars: [['USD', 1]],
  number: [['', 1]],
};

/** The last words of names, by the conventions of Prometheus and OpenTelemetry, and usual short forms. */
const WORDS: Readonly<Record<string, readonly [unit: MetricUnit, factor: number]>> = {
  b: ['bytes', 1],
  byte: ['bytes', 1],
  bytes: ['bytes', 1],
  kb: ['bytes', 1_000],
  kilobytes: ['bytes', 1_000],
  kib: ['bytes', KIB],
  kibibytes: ['bytes', KIB],
  mb: ['bytes', 1_000_000],
  megabytes: ['bytes', 1_000_000],
  mib: ['bytes', KIB ** 2],
  mebibytes: ['bytes', KIB ** 2],
  gb: ['bytes', 1_000_000_000],
  gigabytes: ['bytes', 1_000_000_000],
  gib: ['bytes', KIB ** 3],
  gibibytes: ['bytes', KIB ** 3],
  ns: ['seconds', 1e-9],
  nanoseconds: ['seconds', 1e-9],
  us: ['seconds', 1e-6],
  microseconds: ['seconds', 1e-6],
  ms: ['seconds', 1e-3],
  millis: ['seconds', 1e-3],
  milliseconds: ['seconds', 1e-3],
  sec: ['seconds', 1],
  secs: ['seconds', 1],
  seconds: ['seconds', 1],
  minutes: ['seconds', MINUTE],
  hours: ['seconds', MINUTE * MINUTE],
  days: ['seconds', 24 * MINUTE * MINUTE],
  percent: ['percent', 1],
  pct: ['percent', 1],
  percentage: ['percent', 1],
  ratio: ['percent', 100],
  usd: ['dollars', 1],
  dollars: ['dollars', 1],
};

/** The kind of a metric: `http_sent_bytes_total` is a counter of bytes, `latencyMs` a time. */
export function metricKindOf(name: string): MetricKind {
  const [bare = ''] = name.split('{', 1);
  const words = bare
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}%]+/u);
  const isCounter = words.at(-1) === 'total' && words.length > 1;
  const last = (isCounter ? words.at(-2) : words.at(-1)) ?? '';
  // an own property only: a name may end in `constructor`
  const [unit, factor] = Object.hasOwn(WORDS, last) ? WORDS[last]! : (['number', 1] as const);
  return { unit, factor, isCounter };
}

/**
 * The scale by which the largest value has a few digits before its point.
 *
 * @param most largest absolute value, as the metric has it
 */
export function scaleFor({ unit, factor }: MetricKind, most: number): Scale {
  const symbols = SYMBOLS[unit];
  const [symbol, size] = symbols.findLast(([, least]) => most * factor >= least) ?? usual(symbols);
  return { factor: factor / size, symbol };
}

/** The scale of a counter's rate: for each second, or each minute if it would be less than one. @param most a second */
export function rateScaleFor(kind: MetricKind, most: number): Scale {
  const isSlow = most > 0 && most * kind.factor < 1;
  const times = isSlow ? MINUTE : 1;
  const { factor, symbol } = scaleFor(kind, most * times);
  return { factor: factor * times, symbol: `${symbol}/${isSlow ? 'min' : 's'}` };
}

/** The symbol of a value that is below all of them, such as 0. */
const usual = <Symbol extends readonly [string, number]>(symbols: readonly Symbol[]): Symbol =>
  symbols.find(([, size]) => size === 1) ?? symbols[0]!;

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'compact' });
const SHORTENED_FROM = 10_000;

/**
 * A number with three significant digits, or all digits of a whole one below ten thousand.
 *
 * @param symbol its unit; a mere number is shortened: `12.3K`
 */
export function digitsText(value: number, symbol = ''): string {
  if (Number.isInteger(value) && Math.abs(value) < SHORTENED_FROM) return whole.format(value);
  return (isMere(symbol) ? compact : digits).format(value);
}

/** A shown value with its unit: `1.5 GiB`, `20/s`. */
export const amountText = (value: number, symbol: string): string =>
  `${digitsText(value, symbol)}${isMere(symbol) ? '' : ' '}${symbol}`;

const isMere = (symbol: string) => symbol === '' || symbol.startsWith('/');
