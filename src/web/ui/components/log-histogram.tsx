import { useMemo } from 'react';
import { counted } from './counted.js';
import { durationText } from './duration.js';
import { logBars, type LogBar } from './log-bars.js';
import type { LogBuffer } from './log-buffer.js';
import classes from './log-histogram.module.css';
import { momentOfLine } from './relative-time.js';

/** Number of loaded lines over time. Its height is always the same, so that it does not move the lines. */
export function LogHistogram({ buffer }: { readonly buffer: LogBuffer }) {
  const { bars, step } = useMemo(() => logBars(buffer.chunks.flatMap(({ rows }) => rows)), [buffer]);
  const most = Math.max(1, ...bars.map(({ lines }) => lines));
  const [first, last] = [bars[0], bars.at(-1)];
  return (
    <figure className={classes.figure}>
      <div className={classes.bars} aria-hidden>
        {bars.map((bar) => (
          <Bar key={bar.at} bar={bar} most={most} />
        ))}
      </div>
      <figcaption className={classes.caption}>
        <span>{first && timeText(first.at)}</span>
        <span>{first && `${summaryOf(bars)}, a bar is ${durationText(step)}`}</span>
        <span>{last && timeText(last.at + step)}</span>
      </figcaption>
    </figure>
  );
}

function Bar({ bar, most }: { readonly bar: LogBar; readonly most: number }) {
  const { at, lines, warnings, errors } = bar;
  const part = (count: number) => ({ height: `${(100 * count) / most}%` });
  return (
    <div className={classes.slot} title={`${timeText(at)}: ${summaryOf([bar])}`}>
      {lines > 0 && (
        <div className={classes.bar}>
          <div style={part(lines - warnings - errors)} />
          {warnings > 0 && <div style={part(warnings)} data-level="warning" />}
          {errors > 0 && <div style={part(errors)} data-level="error" />}
        </div>
      )}
    </div>
  );
}

/** `250 lines, 3 warnings, 1 error` */
function summaryOf(bars: readonly LogBar[]): string {
  const sum = (of: 'lines' | 'warnings' | 'errors') => bars.reduce((total, bar) => total + bar[of], 0);
  const [warnings, errors] = [sum('warnings'), sum('errors')];
  return [
    counted(sum('lines'), 'line'),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
    ...(errors > 0 ? [counted(errors, 'error')] : []),
  ].join(', ');
}

/** Without milliseconds, which no bar has. */
const timeText = (at: number): string => momentOfLine(new Date(at), new Date()).replace(/\.\d+$/, '');
