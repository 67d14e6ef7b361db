import { Link } from 'react-router';
import { StatusBadge } from '../../components/status-badge.js';
import classes from './overview.module.css';

const LABELS: Readonly<Record<string, string>> = { never_connected: 'never connected' };

export interface CountsProps {
  readonly title: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly keys: readonly string[];
  /** Address of the list, up to the value of its filter. */
  readonly path: string;
}

/** Counts, each a link to its list. */
export function Counts({ title, counts, keys, path }: CountsProps) {
  return (
    <section className={classes.panel} aria-label={title}>
      <h2 className={classes.title}>{title}</h2>
      <ul className={classes.counts}>
        {keys.map((key) => (
          <li key={key} data-is-none={(counts[key] ?? 0) === 0}>
            <Link to={`${path}${key}`} className={classes.count}>
              <span className={classes.number}>{(counts[key] ?? 0).toLocaleString('en')}</span>
              <StatusBadge status={key} label={LABELS[key] ?? key} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
