import classes from './code-block.module.css';
import { CopyButton } from './copy-button.js';

export interface CodeBlockProps {
  readonly code: string;
  /** What it is: `command`, `key`. */
  readonly what: string;
}

/** Text to copy, to the letter; long lines scroll inside it. */
export function CodeBlock({ code, what }: CodeBlockProps) {
  return (
    <div className={classes.block}>
      {/* focusable, so that it can be scrolled by keyboard */}
      <pre className={classes.code} tabIndex={0} role="region" aria-label={what}>
        {code}
      </pre>
      <CopyButton value={code} what={what} />
    </div>
  );
}
