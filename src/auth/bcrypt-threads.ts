import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** Steps of niceness below the process: while both want a core, a thread gets a tenth of what the event loop gets. */
const NICER_BY = 10;

/** Heap of one thread, which holds a password and a hash; MiB. */
const LIMITS = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8 };

/** Only Linux has a niceness for each thread; elsewhere it would be the whole process that gives way. */
const PROGRAM = `
  const { getPriority, setPriority } = require('node:os');
  const { parentPort, workerData } = require('node:worker_threads');
  const bcrypt = require(workerData.bcrypt);
  if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + workerData.nicerBy));
  parentPort.on('message', ({ method, parameters }) => parentPort.postMessage(bcrypt[method](...parameters)));
`;

/**
 * bcrypt in threads of its own, which give way to everything else that the process does. A hash takes a core for 0.2 s:
 * in libuv's threads, which have the priority of the event loop, a few logins double everybody's latency on two cores.
 *
 * There are as many threads as there were calls at once; the caller limits these.
 */
export class BcryptThreads {
  private readonly all = new Set<Worker>();
  private idle: Worker[] = [];

  hash(password: string, cost: number): Promise<string> {
    return this.run('hashSync', [password, cost]);
  }

  compare(password: string, hash: string): Promise<boolean> {
    return this.run('compareSync', [password, hash]);
  }

  async end(): Promise<void> {
    await Promise.all([...this.all].map((thread) => thread.terminate()));
  }

  private async run<Result>(method: string, parameters: readonly unknown[]): Promise<Result> {
    const thread = this.idle.pop() ?? this.start();
    const answered = once(thread, 'message') as Promise<[Result]>;
    thread.postMessage({ method, parameters });
    // a thread that failed has ended, and is not used again
    const [result] = await answered;
    this.idle.push(thread);
    return result;
  }

  private start(): Worker {
    const bcrypt = createRequire(import.meta.url).resolve('bcrypt');
    const thread = new Worker(PROGRAM, {
      eval: true,
      name: 'bcrypt',
      workerData: { bcrypt, nicerBy: NICER_BY },
      resourceLimits: LIMITS,
      // not those of the process: a debugger or a preloaded module is not for its threads
      execArgv: [],
    });
    this.all.add(thread);
    // whoever waits for it hears of it; without a listener it would end the process
    thread.on('error', () => undefined);
    thread.once('exit', () => {
      this.all.delete(thread);
      this.idle = this.idle.filter((it) => it !== thread);
    });
    thread.unref();
    return thread;
  }
}
