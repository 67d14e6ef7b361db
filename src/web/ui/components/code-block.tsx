import classes from './code-block.module.css';
import { CopyButton } from './copy-button.js';

export interface CodeBlockProps {
  readonly code: string;
  /** The form that is easier to read; it is not the copied text. */
  readonly shown?: string;
  /** Kind of the text: `command`, `key`. */
  readonly what: string;
}

/** Text with a copy button; long lines scroll. */
export function CodeBlock({ code, shown = code, what }: CodeBlockProps) {
  return (
    <div className={classes.block}>
      {/* focusable, so that it can be scrolled by keyboard */}
      <pre className={classes.code} tabIndex={0} role="region" aria-label={what}>
        {shown}
      </pre>
      <CopyButton value={code} what={what} />
    </div>
  );
}
