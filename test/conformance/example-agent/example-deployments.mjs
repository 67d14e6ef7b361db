// Replicas of the example agent, and its reports of them.
import { pause } from './example-link.mjs';
import { ExampleReplicas } from './example-replicas.mjs';

/** Duration of an action that is too late. */
const LATE_MS = 2_500;
const ACTIONS = ['deploy', 'scale', 'restart', 'stop', 'kill'];

export class ExampleDeployments {
  all = new Map(); // id -> { id, generation, count, replicas, isStopped, error }
  ordinal = 0;
  beats = 0;

  /** @param options `has`, `replicaUrl`, `life`, `whenChanged`, and `log` for actions */
  constructor(options) {
    Object.assign(this, options);
  }

  of(id) {
    if (!this.all.has(id))
      this.all.set(id, { id, generation: 0, count: 0, replicas: new ExampleReplicas(this) });
    return this.all.get(id);
  }

  async end() {
    await Promise.all([...this.all.values()].map(({ replicas }) => replicas.resize(0)));
  }

  endAtOnce() {
    for (const { replicas } of this.all.values()) replicas.endAtOnce();
  }

  /** @param known the deployments in the reply to the registration */
  takeUp(known) {
    const wanted = ['running', 'ready', ...(this.has('takes-up-what-was-stopped') ? ['stopped'] : [])];
    for (const { id, status, generation, replicas: count } of known) {
      if (!wanted.includes(status)) continue;
      const deployment = Object.assign(this.of(id), {
        generation: this.has('counts-generations-anew') ? 1 : generation,
        count,
      });
      if (this.has('runs-programs')) deployment.error = 'its configuration was lost';
      else void deployment.replicas.resize(count).catch(() => undefined);
    }
  }

  /** @param listed the deployments in the reply to a registration that the service has asked for */
  async takeBack(listed) {
    for (const deployment of [...this.all.values()]) {
      const known = listed.find(({ id }) => id === deployment.id);
      const isListed = known?.status === 'running' || known?.status === 'ready';
      if (!known) this.all.delete(deployment.id);
      else if (deployment.isStopped && isListed && !this.has('leaves-the-lost-stop'))
        Object.assign(deployment, { isStopped: false, count: known.replicas });
      else if (known.generation < deployment.generation)
        Object.assign(deployment, { generation: known.generation, count: known.replicas });
      else continue;
      await deployment.replicas.resize(known?.replicas ?? 0, true);
    }
    this.whenChanged();
  }

  /** @returns the acknowledgement */
  async carryOut(command) {
    const { action, deployment_id: id, parameters } = command;
    const { has } = this;
    if (has('starts-nothing')) return { success: true };
    if (!ACTIONS.includes(action))
      return has('claims-the-unknown')
        ? { success: true }
        : { success: false, error: `no such action: ${action}` };
    if (!this.all.has(id) && action !== 'deploy' && has('fails-what-it-does-not-know'))
      return { success: false, error: 'what deployment?' };
    if (has('scales-wrong') && action === 'scale') return { success: true };
    const deployment = this.of(id);
    deployment.isStopped = action === 'stop' || action === 'kill';
    deployment.count = deployment.isStopped ? 0 : parameters.replicas;
    deployment.error = undefined;
    deployment.replicas.config = JSON.parse(parameters.config);
    if (action === 'deploy' || action === 'restart') deployment.replicas.done = 0;
    // its slots are no programs
    if (has('runs-programs') && deployment.replicas.config.run) {
      deployment.generation = parameters.generation;
      return { success: true };
    }
    this.log(`${action} ${++this.ordinal}`);
    if (deployment.isStopped && has('acknowledges-a-stop-first')) {
      const later = pause(LATE_MS, this.life).then(() => this.bringAbout(deployment, command));
      later.catch(() => undefined);
      return { success: true };
    }
    if (has('claims-readiness') && action === 'deploy') deployment.generation = parameters.generation;
    const done = this.bringAbout(deployment, command);
    const isEarly = has('acknowledges-early') || has('claims-readiness');
    // what was acknowledged as started is tried until it is
    done.catch(() => (isEarly ? this.startMissing(deployment) : this.whenChanged()));
    try {
      await (isEarly ? Promise.race([done, pause(50, this.life)]) : done);
      return { success: true };
    } catch (error) {
      if (has('fails-after-a-success')) return { success: true };
      if (!has('claims-what-can-not-start')) return { success: false, error: error.message };
      deployment.error = undefined;
      return { success: true };
    }
  }

  startMissing(deployment) {
    const { replicas, count } = deployment;
    deployment.error = undefined;
    for (let missing = count - replicas.all.size; missing > 0; missing--)
      replicas.startAgain().catch(() => undefined);
  }

  async bringAbout(deployment, { action, parameters }) {
    const { has } = this;
    const { replicas } = deployment;
    if (parameters.rolling && !has('restarts-all-at-once')) {
      deployment.generation = parameters.generation;
      // it continues when it is acknowledged, until it is done or the agent ends
      return new Promise((resolve) => replicas.roll(resolve).then(resolve, () => undefined));
    }
    const isFresh = (action === 'deploy' || action === 'restart') && !has('keeps-old-replicas');
    try {
      if (isFresh || (action === 'scale' && has('restarts-for-a-scale'))) await replicas.resize(0);
      deployment.generation = has('counts-generations-anew')
        ? deployment.generation + (deployment.isStopped ? 0 : 1)
        : parameters.generation;
      await replicas.resize(deployment.count, action === 'kill');
    } catch (error) {
      deployment.error = error.message;
      throw error;
    }
  }

  reports() {
    const { has } = this;
    const running = [...this.all.values()].filter(
      ({ isStopped, generation }) => generation > 0 && (!isStopped || has('reports-what-is-not')),
    );
    return running.map(({ id, generation, count, replicas, isStopped, error }) => {
      const { done, older } = replicas;
      // all count as ready only when a rolling restart has replaced the last one
      const isRolling = older.length > 0;
      const claimsAll = has('claims-readiness') || (isRolling && has('claims-a-finished-roll'));
      const most = isRolling ? count - 1 : count;
      const ready = claimsAll ? count : isStopped ? 1 : Math.min(most, replicas.ready + done);
      const observed = has('reports-old-generations') ? generation - (this.beats++ % 2) : generation;
      const least = has('reports-the-least');
      const known = { deployment_id: id, ...(!least && { observed_generation: observed }) };
      if (error !== undefined) return { ...known, status: 'failed', error_message: error };
      const isDone = count > 0 && done >= (has('completes-early') ? 1 : count);
      if (isDone && !has('never-completes')) return { ...known, status: 'completed' };
      const status = has('invents-a-status') ? 'splendid' : ready < count ? 'running' : 'ready';
      // `ready` without a count means all of them
      return { ...known, status, ...(!(least && status === 'ready') && { ready_replicas: ready }) };
    });
  }
}
