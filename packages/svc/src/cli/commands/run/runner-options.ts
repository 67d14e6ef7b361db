import type { Admission } from '../../../runner/policy/admission.js';
import type { Account } from '../../../runner/processes/account.js';
import { runDirectory } from '../../agent-key.js';
import type { Context } from '../../context.js';
import { version } from '../../version.js';
import type { RunOptions } from './run-options.js';

/** The settings that an agent and a program of `svc run` share: from the command line and the surroundings. */
export const runnerOptions = (
  { metricsSeconds, relaysTelemetry }: RunOptions,
  context: Context,
  admission: Admission,
  account: Account | undefined,
) => ({
  baseUrl: context.address.url,
  stateRoot: runDirectory(context),
  admission,
  environment: context.environment,
  account,
  metricsIntervalMs: metricsSeconds * 1_000,
  relaysTelemetry,
  version,
});
