import { type EventPattern, summarisePatterns } from './event-patterns.js';
import classes from './webhooks.module.css';

interface PatternListProps {
  readonly patterns: readonly EventPattern[];
  /** Maximum number of patterns to show; the others are counted. */
  readonly most?: number;
}

/** Short list of a webhook's event patterns. */
export function PatternList({ patterns, most = Infinity }: PatternListProps) {
  const names = summarisePatterns(patterns);
  const hidden = names.slice(most);
  return (
    <ul className={classes.patterns}>
      {names.slice(0, most).map((name) => (
        <li key={name} className={classes.pattern}>
          {name}
        </li>
      ))}
      {hidden.length > 0 && (
        <li className={classes.pattern} title={hidden.join(', ')}>
          and {hidden.length} more
        </li>
      )}
    </ul>
  );
}
