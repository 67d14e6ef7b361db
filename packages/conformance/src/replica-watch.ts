import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReplicaStory } from './evidence.js';
import { CHILD_PATH, PROGRAM_PATH, READINESS_PATH, RUN_PATH } from './replica-paths.js';
import { isPathOfWork, WorkWatch } from './work-watch.js';

/** Answer to a replica whose work is done. */
const DONE = 'done\n';
/** Life of a replica that crashes at once; milliseconds. */
const CRASH_MS = 30;

interface Connection {
  readonly story: ReplicaStory;
  readonly response: ServerResponse;
}

/** Observes replicas by their connections. It stays reachable during the outages of the service. */
export class ReplicaWatch {
  readonly stories: ReplicaStory[] = [];
  /** The work of runs. */
  readonly works: WorkWatch;
  /** True once the agent has checked the readiness of replicas as their configuration says. */
  isAskedForReadiness = false;
  /** Number of attempts to start a replica during {@link refuseAll}. */
  refused = 0;
  /** Number of processes that replicas have started and that still run; undefined before the first one. */
  children: number | undefined;
  private readonly server: Server;
  private readonly connections = new Set<Connection>();
  private isHeld = false;
  private isRefusing = false;
  private isDeadly = false;

  /** @param now milliseconds since the scenario began */
  constructor(private readonly now: () => number) {
    this.works = new WorkWatch(now);
    this.server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://watch');
      if (pathname === READINESS_PATH) this.answerReadiness(response);
      else if (pathname === CHILD_PATH) this.beginChild(response);
      else if (isPathOfWork(pathname)) this.works.begin(request, response, pathname);
      else if (this.isRefusing) this.refuse(request);
      else this.begin(request, response, pathname === PROGRAM_PATH);
    });
  }

  async open(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `${this.url}/`;
  }

  /** The address for the work of a run. */
  addressOfWork(runId: string): string {
    return `${this.url}${RUN_PATH}${runId}`;
  }

  private get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** True if the agent starts such replicas. */
  get isInUse(): boolean {
    return this.stories.length > 0;
  }

  /** True if replicas are programs, which receive signals. */
  get isOfPrograms(): boolean {
    return this.stories.some(({ isProgram }) => isProgram);
  }

  get alive(): number {
    return this.stories.filter(({ endedAt }) => endedAt === null).length;
  }

  get ended(): number {
    return this.stories.length - this.alive;
  }

  /** Keeps all replicas unready until {@link release}: their checks get no answer. */
  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    for (const { response } of this.connections) answer(response);
  }

  /** @param isRefusing true: no replica can be started, because every connection is closed at once */
  refuseAll(isRefusing: boolean): void {
    this.isRefusing = isRefusing;
  }

  /** Tells one replica that its work is done: a program of the kit then ends with 0. */
  finishOne(): void {
    const [first] = this.connections;
    first?.response.end(DONE);
  }

  /** Ends one replica like a crash. */
  crashOne(): void {
    const [first] = this.connections;
    first?.response.destroy();
  }

  /** @param isDeadly true: every replica that is started crashes at once */
  crashAll(isDeadly: boolean): void {
    this.isDeadly = isDeadly;
    if (isDeadly) for (const { response } of this.connections) response.destroy();
  }

  /** Closes the remaining connections too. */
  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private begin(request: IncomingMessage, response: ServerResponse, isProgram: boolean): void {
    const story: ReplicaStory = { startedAt: this.now(), isProgram, endedAt: null, askedAt: null };
    this.stories.push(story);
    const connection = { story, response };
    this.connections.add(connection);
    response.on('close', () => {
      story.endedAt = this.now();
      this.connections.delete(connection);
    });
    // a program sends data only once: when it gets the signal to end
    request.on('data', () => (story.askedAt ??= this.now()));
    request.on('error', () => undefined);
    if (!this.isHeld) answer(response);
    if (this.isDeadly) setTimeout(() => response.destroy(), CRASH_MS);
  }

  private beginChild(response: ServerResponse): void {
    this.children = (this.children ?? 0) + 1;
    response.on('close', () => (this.children! -= 1));
    answer(response);
  }

  private refuse({ socket }: IncomingMessage): void {
    this.refused++;
    socket.destroy();
  }

  private answerReadiness(response: ServerResponse): void {
    this.isAskedForReadiness = true;
    response.writeHead(this.isHeld ? 503 : 200).end();
  }
}

function answer(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200).flushHeaders();
}
