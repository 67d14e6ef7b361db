import classes from './code-block.module.css';
import { CopyButton } from './copy-button.js';

export interface CodeBlockProps {
  readonly code: string;
  /** Kind of the text: `command`, `key`. */
  readonly what: string;
}

/** Text with a copy button; long lines scroll. */
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
