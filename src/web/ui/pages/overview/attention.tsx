import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ShownText } from '../../components/exact-text.js';
import classes from './overview.module.css';

export interface AttentionItem {
  readonly key: string;
  readonly to: string;
  readonly name: string;
  /** The event, on at most two lines. */
  readonly text?: string;
  /** How much or how often. */
  readonly count?: string;
  /** How many of the total it stands for; absent: one. */
  readonly standsFor?: number;
  readonly at: ReactNode;
}

export interface AttentionProps {
  readonly title: string;
  readonly tone: 'bad' | 'warn' | 'quiet';
  readonly total: number;
  /** The list of all. */
  readonly to: string;
  /** The first of them. */
  readonly items: readonly AttentionItem[];
}

/** Resources that need a person, a line each, with a link to all of them; nothing where there is none. */
export function Attention({ title, tone, total, to, items }: AttentionProps) {
  if (total === 0) return null;
  const others = total - items.reduce((sum, { standsFor = 1 }) => sum + standsFor, 0);
  return (
    <section className={classes.panel} aria-label={title} data-tone={tone}>
      <div className={classes.line}>
        <h3 className={classes.title}>{title}</h3>
        <Link to={to} className={classes.total} aria-label={`${total.toLocaleString('en')}: ${title}`}>
          {total.toLocaleString('en')}
        </Link>
      </div>
      <ul className={classes.items}>
        {items.map(({ key, to: place, name, text, count, at }) => (
          <li key={key}>
            <Link to={place} className={classes.name}>
              <ShownText text={name} />
            </Link>
            <span className={classes.text} title={text}>
              {text !== undefined && <ShownText text={text} />}
            </span>
            <span className={classes.times}>{count}</span>
            <span className={classes.at}>{at}</span>
          </li>
        ))}
      </ul>
      {items.length > 0 && others > 0 && (
        <Link to={to} className={classes.more}>
          {others.toLocaleString('en')} more
        </Link>
      )}
    </section>
  );
}
