import { counted } from './counted.js';
import { diffParts } from './diff-parts.js';
import { JsonText } from './exact-text.js';
import classes from './line-diff.module.css';

export interface LineDiffProps {
  /** Indented JSON. */
  readonly before: string;
  readonly after: string;
  /** The compared texts: `Version 2 to version 3`. */
  readonly label: string;
  /** Number of equal lines next to those that differ; absent: all. */
  readonly context?: number;
}

const SIGNS = { added: '+ ', removed: '- ', same: '  ' } as const;

/** Two JSON documents line by line. Added and removed lines are marked by a sign too, not by colour alone. */
export function LineDiff({ before, after, label, context }: LineDiffProps) {
  return (
    <pre className={classes.diff} tabIndex={0} role="group" aria-label={label}>
      {diffParts(before, after, context).map(({ kind, text, lines }, index) => (
        <span key={index} className={classes[kind]}>
          {kind === 'gap' ? (
            `⋯ ${counted(lines, 'equal line')}\n`
          ) : (
            <JsonText json={text.replace(/^(?=.)/gm, SIGNS[kind])} />
          )}
        </span>
      ))}
    </pre>
  );
}
