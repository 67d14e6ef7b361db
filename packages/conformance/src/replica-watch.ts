import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReplicaStory } from './evidence.js';

/** Sees which replicas live by the connections that they hold; never away, whatever happens to the service. */
export class ReplicaWatch {
  readonly stories: ReplicaStory[] = [];
  private readonly server: Server;

  /** @param now milliseconds since the scenario began */
  constructor(now: () => number) {
    this.server = createServer((request, response) => {
      const story: ReplicaStory = { startedAt: now(), endedAt: null };
      this.stories.push(story);
      response.on('close', () => (story.endedAt = now()));
      response.writeHead(200).flushHeaders();
      request.resume();
    });
  }

  async open(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Whether the agent starts such programs at all. */
  get isInUse(): boolean {
    return this.stories.length > 0;
  }

  get alive(): number {
    return this.stories.filter(({ endedAt }) => endedAt === null).length;
  }

  /** Ends the replicas that are left, too. */
  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
