import { Link } from 'react-router';
import type { Overview } from '@agent-control-plane/client';
import { counted } from '../../components/counted.js';
import { numberText } from '../../components/amounts.js';
import classes from './overview.module.css';

export interface RecoveredProps {
  readonly recovered: Overview['recovered'];
  /** The failed runs of the last day. */
  readonly failedRuns: string;
}

/** Failures of the last day that have recovered, on one line. */
export function Recovered({ recovered, failedRuns }: RecoveredProps) {
  const { agents, failures, agents_with_failed_runs: askedAgents, failed_runs: runs } = recovered;
  if (agents === 0 && askedAgents === 0) return null;
  return (
    <p className={classes.recovered}>
      Recovered within the last day:{' '}
      {agents > 0 && (
        <Link to="/deployments?failed=24h">
          {`${numberText(failures)} ${failures === 1 ? 'failure' : 'failures'} of ${counted(agents, 'agent')}`}
        </Link>
      )}
      {agents > 0 && askedAgents > 0 && ', '}
      {askedAgents > 0 && (
        <Link to={failedRuns}>
          {`${numberText(runs)} failed ${runs === 1 ? 'run' : 'runs'} of ${counted(askedAgents, 'agent')}`}
        </Link>
      )}
    </p>
  );
}
