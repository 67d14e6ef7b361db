import { indentedConfig, maskedConfigs } from '@agent-control-plane/client/internal/masked-config';
import { diffLines } from 'diff';
import classes from './config-diff.module.css';

export interface ConfigDiffProps {
  /** JSON documents. */
  readonly before: string;
  readonly after: string;
  /** True: both are as the service shows them; false: a person wrote `after`, whose secrets are masked. */
  readonly isAsShown: boolean;
  /** Names of the two versions: `Version 2 to version 3`. */
  readonly label: string;
}

/** Two configs line by line. Added and removed lines are marked by a sign too, not by colour alone. */
export function ConfigDiff({ before, after, isAsShown, label }: ConfigDiffProps) {
  const [one, other] = isAsShown ? [before, after] : maskedConfigs(before, after);
  const parts = diffLines(indentedConfig(one), indentedConfig(other));
  return (
    <pre className={classes.diff} tabIndex={0} role="region" aria-label={label}>
      {parts.map(({ value, added, removed }, index) => (
        <span key={index} className={added ? classes.added : removed ? classes.removed : undefined}>
          {signed(value, added ? '+ ' : removed ? '- ' : '  ')}
        </span>
      ))}
    </pre>
  );
}

function signed(text: string, sign: string): string {
  return text.replace(/^(?=.)/gm, sign);
}
