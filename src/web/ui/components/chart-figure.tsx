import type { ReactNode } from 'react';
import classes from './chart-figure.module.css';

export interface ChartFigureProps {
  readonly title: string;
  /** The chart in words, for screen readers, too. */
  readonly summary: string;
  readonly children: ReactNode;
}

/** A chart with its title and its sum in words. */
export function ChartFigure({ title, summary, children }: ChartFigureProps) {
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.caption}>
        <h2>{title}</h2>
        <span className={classes.summary}>{summary}</span>
      </figcaption>
      <div aria-hidden>{children}</div>
    </figure>
  );
}

/** The caption of the point below the mouse. */
export function ChartTooltip({ at, children }: { readonly at: string; readonly children: ReactNode }) {
  return (
    <div className={classes.tooltip}>
      <strong>{at}</strong>
      <div>{children}</div>
    </div>
  );
}
