import { CopyButton } from './copy-button.js';
import classes from './entity-id.module.css';
import { shortId } from './short-id.js';

export interface EntityIdProps {
  readonly id: string;
  /** Name of the id: `agent id`. */
  readonly what: string;
}

/** An id, shown shortened and copied in full. */
export function EntityId({ id, what }: EntityIdProps) {
  return (
    <span className={classes.id}>
      <span title={id}>…{shortId(id)}</span>
      <CopyButton value={id} what={what} />
    </span>
  );
}
