import type { Command } from '../models.js';
import type { Acknowledgements } from './acknowledgements.js';
import type { Correction } from './correction.js';
import {
  type Assignment,
  assignmentOf,
  desiredAgain,
  desiredBy,
  type DesiredState,
  isKnown,
  isOutdated,
} from './desired-state.js';
import { messageOf, StateDirectoryError } from './runtime-errors.js';
import type { EventListener } from './runtime-events.js';
import type { Outcome, RuntimeState } from './runtime-state.js';

/** Brings a deployment into a state. @returns the result to store with the command: any JSON value */
export type Apply = (desired: DesiredState) => Promise<unknown>;

/** The parts of the runtime that the execution calls. */
export interface ExecutionHost {
  /** Called when a state of a deployment has been applied, or has failed. */
  onApplied(deploymentId: string): void;
  /** Registers again, which lowers generations that the service no longer knows. */
  askService(): Promise<void>;
}

/**
 * Carries commands out: one after another for each deployment, and each once, however often it is delivered. A
 * command's desired state is on the disk before the command begins, and its outcome before that is sent.
 */
export class CommandExecution {
  private readonly turns = new Map<string, Promise<void>>();
  private readonly taken = new Set<string>();
  private isClosing = false;

  constructor(
    private readonly apply: Apply,
    private readonly state: RuntimeState,
    private readonly acknowledgements: Acknowledgements,
    private readonly onEvent: EventListener,
    private readonly host: ExecutionHost,
  ) {}

  /** Resumes deployments that ran before this process started. */
  resume(): void {
    for (const [deploymentId, assignment] of this.state.allAssignments()) {
      if (assignment.phase === 'running')
        this.inTurn(deploymentId, () => this.takeUp(deploymentId, assignment));
    }
  }

  /** @returns true if the command is new; a command that was carried out before is only acknowledged again */
  take(command: Command): boolean {
    const { command_id: commandId, deployment_id: deploymentId } = command;
    const outcome = this.state.outcomeOf(commandId);
    if (outcome) {
      this.acknowledgements.send(commandId, outcome);
      return false;
    }
    if (this.taken.has(commandId)) return false;
    this.taken.add(commandId);
    this.inTurn(deploymentId, () => this.carryOut(command).finally(() => this.taken.delete(commandId)));
    return true;
  }

  /** Brings a deployment into the service's state of it, without a command. */
  correct(deploymentId: string, correction: Correction): void {
    this.inTurn(deploymentId, async () => {
      const known = this.state.assignment(deploymentId);
      if (known?.phase !== 'running') return;
      const { generation, startGeneration, rolling = false, config } = known;
      const end = { deploymentId, generation, startGeneration, rolling, replicas: 0, config: {} };
      const { phase } = correction;
      if (phase !== 'running')
        return void (await this.bringAbout(
          { ...end, phase, cause: phase === 'killed' ? 'kill' : 'stop' },
          '',
        ));
      // a command has arrived in the meantime
      if (generation !== correction.generation) return;
      const { replicas, isRestart } = correction;
      if (isRestart) await this.apply({ ...end, phase: 'stopped', cause: 'stop' });
      const cause = isRestart ? 'restart' : 'scale';
      await this.bringAbout({ ...end, phase, replicas, config: JSON.parse(config), cause }, config);
    });
  }

  /**
   * After this call, failures are attributed to the end: unfinished commands are delivered again after the next start.
   */
  close(): void {
    this.isClosing = true;
  }

  /** Resolves when no command is being carried out. */
  async settled(): Promise<void> {
    while (this.turns.size > 0) await Promise.all(this.turns.values());
  }

  private inTurn(deploymentId: string, work: () => Promise<void>): void {
    const before = this.turns.get(deploymentId) ?? Promise.resolve();
    const unlessClosing = () => (this.isClosing ? undefined : work());
    const turn = before.then(unlessClosing).catch((error: unknown) => {
      if (this.isClosing) return;
      this.onEvent({
        level: 'error',
        event: 'failed',
        message: messageOf(error),
        deployment_id: deploymentId,
      });
    });
    this.turns.set(deploymentId, turn);
    void turn.then(() => {
      if (this.turns.get(deploymentId) === turn) this.turns.delete(deploymentId);
    });
  }

  private async takeUp(deploymentId: string, assignment: Assignment): Promise<void> {
    try {
      await this.bringAbout(desiredAgain(deploymentId, assignment), assignment.config);
    } catch (error) {
      await this.markFailed(deploymentId, messageOf(error));
      throw error;
    }
  }

  private async carryOut(command: Command): Promise<void> {
    const { command_id: commandId, deployment_id: deploymentId, action } = command;
    this.onEvent({
      level: 'info',
      event: 'command',
      message: `${action}, generation ${command.parameters.generation}, ${command.parameters.replicas} replicas`,
      deployment_id: deploymentId,
    });
    const outcome = await this.outcomeOf(command);
    if (this.isClosing && !outcome.success) return;
    this.state.settle(commandId, outcome);
    await this.keep(deploymentId);
    if (!outcome.success)
      this.onEvent({
        level: 'error',
        event: 'command_failed',
        message: `${action} failed: ${outcome.error}`,
        deployment_id: deploymentId,
      });
    this.acknowledgements.send(commandId, outcome);
  }

  private async outcomeOf(command: Command): Promise<Outcome> {
    const { deployment_id: deploymentId, parameters } = command;
    if (isOutdated(command, this.state.assignment(deploymentId))) await this.host.askService();
    const known = this.state.assignment(deploymentId);
    const completed = (outcome: Omit<Outcome, 'completed_at'>): Outcome => ({
      ...outcome,
      completed_at: new Date().toISOString(),
    });
    // a newer service may have actions that this runtime does not know
    if (!isKnown(command))
      return completed({
        success: false,
        error: `The runtime does not know the action "${command.action}"`,
      });
    if (isOutdated(command, known)) return completed({ success: true, result: { outdated: true } });
    this.state.begin(command.command_id);
    try {
      const result = await this.bringAbout(desiredBy(command, known), parameters.config);
      return completed({ success: true, ...(result === undefined ? {} : { result }) });
    } catch (error) {
      // what can't be kept was not begun, and what ran before it continues
      if (!(error instanceof StateDirectoryError)) await this.markFailed(deploymentId, messageOf(error));
      return completed({ success: false, error: messageOf(error) });
    }
  }

  private async bringAbout(desired: DesiredState, config: string): Promise<unknown> {
    const { deploymentId } = desired;
    const known = this.state.assignment(deploymentId);
    this.state.assign(deploymentId, assignmentOf(desired, known, config));
    await this.keepBefore(desired, known);
    const result = await this.apply(desired);
    const applied = this.state.assignment(deploymentId);
    if (applied) this.state.assign(deploymentId, { ...applied, observedGeneration: desired.generation });
    this.host.onApplied(deploymentId);
    return result;
  }

  private async markFailed(deploymentId: string, error: string): Promise<void> {
    if (this.isClosing) return;
    this.state.markFailed(deploymentId, error);
    this.host.onApplied(deploymentId);
    await this.keep(deploymentId);
  }

  /**
   * Saves the desired state before its replicas are started. Replicas are ended in any case: they may be why the disk is
   * full. What the process before this one started is on the disk already.
   *
   * @throws StateDirectoryError when it can't be kept; the deployment is then as it was
   */
  private async keepBefore(
    { deploymentId, phase, cause }: DesiredState,
    known: Assignment | undefined,
  ): Promise<void> {
    try {
      await this.state.save();
    } catch (error) {
      if (phase !== 'running' || cause === 'resume') return this.warnOfUnkept(deploymentId, error);
      this.state.assign(deploymentId, known);
      throw error;
    }
  }

  /** Saves the state if the disk allows it: the outcome is sent to the service in any case. */
  private async keep(deploymentId: string): Promise<void> {
    await this.state.save().catch((error: unknown) => this.warnOfUnkept(deploymentId, error));
  }

  private warnOfUnkept(deploymentId: string, error: unknown): void {
    const message = `What is to be remembered can't be written: ${messageOf(error)}`;
    this.onEvent({ level: 'warning', event: 'not_kept', message, deployment_id: deploymentId });
  }
}
