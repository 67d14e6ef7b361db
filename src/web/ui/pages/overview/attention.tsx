import type { ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './overview.module.css';

export interface AttentionItem {
  readonly key: string;
  /** Null: the resource was removed. */
  readonly to: string | null;
  readonly name: string;
  readonly text?: string;
  readonly at: ReactNode;
}

export interface AttentionProps {
  readonly title: string;
  readonly count: ReactNode;
  /** Text for an empty list. */
  readonly nothing: string;
  readonly items: readonly AttentionItem[];
}

/** A list of resources that need attention. */
export function Attention({ title, count, nothing, items }: AttentionProps) {
  return (
    <section className={classes.panel} aria-label={title}>
      <div className={classes.line}>
        <h2 className={classes.title}>{title}</h2>
        {count}
      </div>
      {items.length === 0 && <p className={classes.nothing}>{nothing}</p>}
      <ul className={classes.items}>
        {items.map(({ key, to, name, text, at }) => (
          <li key={key}>
            {to === null ? (
              <span className={classes.gone}>{name}</span>
            ) : (
              <Link to={to} className={classes.name}>
                {name}
              </Link>
            )}
            <span className={classes.at}>{at}</span>
            {text !== undefined && (
              <span className={classes.text} title={text}>
                {text}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
