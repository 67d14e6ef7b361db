import { indentedConfig, maskedConfigs } from '@agent-control-plane/client/internal/masked-config';
import { LineDiff } from '../../components/line-diff.js';

/** Number of equal lines next to those that differ. */
const CONTEXT = 3;

export interface ConfigDiffProps {
  /** JSON documents. */
  readonly before: string;
  readonly after: string;
  /** True: both are as the service shows them; false: a person wrote `after`, whose secrets are masked. */
  readonly isAsShown: boolean;
  /** Names of the two versions: `Version 2 to version 3`. */
  readonly label: string;
}

/** Two configs line by line. */
export function ConfigDiff({ before, after, isAsShown, label }: ConfigDiffProps) {
  const [one, other] = isAsShown ? [before, after] : maskedConfigs(before, after);
  return (
    <LineDiff before={indentedConfig(one)} after={indentedConfig(other)} label={label} context={CONTEXT} />
  );
}
