import { diffLines } from 'diff';
import { JsonText } from './exact-text.js';
import classes from './line-diff.module.css';

export interface LineDiffProps {
  /** Indented JSON. */
  readonly before: string;
  readonly after: string;
  /** What is compared: `Version 2 to version 3`. */
  readonly label: string;
}

/** Two JSON documents line by line. Added and removed lines are marked by a sign too, not by colour alone. */
export function LineDiff({ before, after, label }: LineDiffProps) {
  const parts = diffLines(before, after);
  return (
    <pre className={classes.diff} tabIndex={0} role="group" aria-label={label}>
      {parts.map(({ value, added, removed }, index) => (
        <span key={index} className={added ? classes.added : removed ? classes.removed : undefined}>
          <JsonText json={signed(value, added ? '+ ' : removed ? '- ' : '  ')} />
        </span>
      ))}
    </pre>
  );
}

function signed(text: string, sign: string): string {
  return text.replace(/^(?=.)/gm, sign);
}
