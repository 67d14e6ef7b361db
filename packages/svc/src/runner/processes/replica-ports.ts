const HIGHEST_PORT = 65_535;

/**
 * The ports of all replicas of a runner whose readiness is a port: each has its own, also while one deployment replaces
 * another.
 */
export class ReplicaPorts {
  private readonly taken = new Set<number>();

  /** @returns the preferred port, or the next free one if another replica has it @throws if there is none */
  take(wanted: number): number {
    let port = wanted;
    while (this.taken.has(port)) port += 1;
    if (port > HIGHEST_PORT) throw new Error(`No port from ${wanted} on is left for another replica`);
    this.taken.add(port);
    return port;
  }

  /** Marks the port of a replica that an earlier runner started as taken. */
  claim(port: number): void {
    this.taken.add(port);
  }

  release(port: number): void {
    this.taken.delete(port);
  }
}
