import { CopyButton } from './copy-button.js';
import classes from './entity-id.module.css';
import { shortId } from './short-id.js';

export interface EntityIdProps {
  readonly id: string;
  /** `agent id` */
  readonly what: string;
}

/** An id: short to look at, whole to copy. */
export function EntityId({ id, what }: EntityIdProps) {
  return (
    <span className={classes.id}>
      <span title={id}>…{shortId(id)}</span>
      <CopyButton value={id} what={what} />
    </span>
  );
}
