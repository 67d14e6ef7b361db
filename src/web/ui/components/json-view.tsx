import { Button } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from './copy-button.js';
import { counted } from './counted.js';
import { isSmallJson } from './json-size.js';
import classes from './json-view.module.css';

/** Number of entries of a list or an object that are shown before a person asks for more. */
const SHOWN_AT_FIRST = 100;

export interface JsonViewProps {
  readonly value: unknown;
  /** Kind of the value: `input`. */
  readonly what: string;
}

/** A JSON value whose parts fold; a text is shown as it is. */
export function JsonView({ value, what }: JsonViewProps) {
  const isText = typeof value === 'string';
  return (
    <div className={classes.block}>
      {/* focusable, so that it can be scrolled by keyboard */}
      <div className={classes.value} tabIndex={0} role="region" aria-label={what}>
        {isText ? value : <Value value={value} name={null} isOpenAtFirst opensAll={isSmallJson(value)} />}
      </div>
      <CopyButton value={isText ? value : JSON.stringify(value, null, 2)} what={what} />
    </div>
  );
}

interface ValueProps {
  readonly value: unknown;
  /** Name of the property; null: an item of a list, or the whole. */
  readonly name: string | null;
  readonly isOpenAtFirst: boolean;
  /** True: the parts are open at first, too. */
  readonly opensAll: boolean;
}

function Value(props: ValueProps) {
  const { value, name } = props;
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    return <Parts {...props} value={value} />;
  }
  return (
    <div className={classes.leaf}>
      <PropertyName name={name} />
      <span className={classes.scalar} data-kind={value === null ? 'null' : typeof value}>
        {typeof value === 'string' ? `"${value}"` : JSON.stringify(value)}
      </span>
    </div>
  );
}

/** A list or an object. Parts that are folded are not rendered: there may be thousands. */
function Parts({ value, name, isOpenAtFirst, opensAll }: ValueProps & { readonly value: object }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  const isList = Array.isArray(value);
  const entries: [string, unknown][] = Object.entries(value);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes.summary}>
        <PropertyName name={name} />
        <span className={classes.count}>
          {isList ? `[ ${counted(entries.length, 'item')} ]` : `{ ${counted(entries.length, 'field')} }`}
        </span>
      </summary>
      {isOpen && (
        <div className={classes.parts}>
          {entries.slice(0, shown).map(([key, part]) => (
            <Value
              key={key}
              value={part}
              name={isList ? null : key}
              isOpenAtFirst={opensAll}
              opensAll={opensAll}
            />
          ))}
          {entries.length > shown && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => setShown(shown + SHOWN_AT_FIRST)}
            >{`Show more of ${entries.length}`}</Button>
          )}
        </div>
      )}
    </details>
  );
}

function PropertyName({ name }: Pick<ValueProps, 'name'>) {
  return name !== null && <span className={classes.name}>{name}: </span>;
}
