import type { Rule } from '../checks/check.js';
import { endsEveryRun, takesRuns } from '../checks/milestones.js';
import { isAnswered, titleOfRun } from '../checks/runs.js';
import type { PlayedRun } from '../service/played-runs.js';
import type { Deployment } from '../service/played-state.js';
import type { Stage } from '../stage.js';
import { orBeats } from './beats.js';

/** Number of heartbeats after a deploy within which an agent that takes runs has asked for some. */
const BEATS_UNTIL_A_CLAIM = 4;
/**
 * Number of heartbeats within which the work of a run is seen, or never will be. On a busy machine a program starts seconds
 * after its runner's heartbeats.
 */
const BEATS_UNTIL_WORK = 15;

/**
 * The usual beginning: the agent registers and carries out a deployment that takes runs.
 *
 * @param judges rules that are not asked of an agent which takes none
 * @returns undefined for such an agent
 */
export async function deployedForRuns(
  stage: Stage,
  judges: readonly Rule[],
): Promise<Deployment | undefined> {
  await stage.registered();
  const deployment = stage.deployment();
  stage.use({ takesRuns: true });
  const command = await stage.obey('deploy', deployment);
  const isClaiming = () => stage.calls('claim').length > 0;
  const isStarted = command.acknowledgements.some(({ success }) => success === true);
  if (isStarted) await orBeats(stage, isClaiming, BEATS_UNTIL_A_CLAIM);
  if (isClaiming()) return deployment;
  for (const rule of judges) stage.spared.add(rule);
  return undefined;
}

/** Asks the agent for a run, as a person does. Its work continues until it is released. @param input more of its input */
export function askedRun(stage: Stage, deployment: Deployment, input: object = {}): PlayedRun {
  const { service, replicas } = stage;
  const run = service.runs.ask(deployment.id, (id) => ({ address: replicas.addressOfWork(id), ...input }));
  replicas.works.add(run);
  return run;
}

/** Waits until the agent has the run. @returns true if its work is seen, and continues */
export async function given(stage: Stage, run: PlayedRun): Promise<boolean> {
  await stage.must(takesRuns, 'It never took a run that was asked for', () => run.deliveries.length > 0);
  await orBeats(stage, () => run.works.length > 0 || hasEnd(run), BEATS_UNTIL_WORK);
  return run.works.length > 0 && !hasEnd(run);
}

/** Gives the agent time to take a newer attempt of a run that it has. @returns true if it was given one */
export async function givenAgain(stage: Stage, run: PlayedRun): Promise<boolean> {
  const isAgain = () => run.deliveries.some(({ attempt }) => attempt === 2);
  await orBeats(stage, isAgain, BEATS_UNTIL_A_CLAIM);
  return isAgain();
}

/** Waits until the agent's report of the end was answered. @param pauseMs the agent's pause for the service's sake */
export async function ended(stage: Stage, run: PlayedRun, pauseMs = 0): Promise<void> {
  await stage.should(
    endsEveryRun,
    () => `It never reported the end of ${titleOfRun(run)}`,
    () => hasEnd(run),
    stage.patienceMs + pauseMs,
  );
}

/** Asks for a run that is done at once, and waits for its end. */
export async function quickRun(stage: Stage, deployment: Deployment): Promise<void> {
  const run = askedRun(stage, deployment);
  stage.replicas.works.release(run);
  await stage.must(takesRuns, 'It never took a run that was asked for', () => run.deliveries.length > 0);
  await ended(stage, run);
}

/** Waits for what an agent does when it begins work, or never. */
export async function comesWithin(stage: Stage, condition: () => boolean): Promise<void> {
  await orBeats(stage, condition, BEATS_UNTIL_WORK);
}

/** Returns true if the agent knows that the service has the end of the newest attempt. */
export function hasEnd({ ends, attempt }: PlayedRun): boolean {
  return ends.some((end) => end.attempt === attempt && isAnswered(end));
}

/** Returns true if work of the run continues. */
export function isAtWork({ works }: PlayedRun): boolean {
  return works.some(({ endedAt }) => endedAt === null);
}
