import type { Run } from '@agent-control-plane/client';
import { isOpen } from '../../api/run-status.js';
import { progressText } from '../../components/run-words.js';
import classes from './run-progress.module.css';

/** How far an open run is, in its agent's words. */
export function RunProgress({ run }: { readonly run: Run }) {
  const text = progressText(run.progress);
  if (text === null || !isOpen(run)) return null;
  const percent = run.progress?.percent;
  return (
    <div>
      <p className={classes.text} role="status">
        {text}
      </p>
      {percent !== undefined && (
        <div className={classes.track} aria-hidden>
          <div className={classes.bar} style={{ width: `${percent}%` }} />
        </div>
      )}
    </div>
  );
}
