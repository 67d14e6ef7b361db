const HIGHEST_PORT = 65_535;

/** The ports of all replicas of a runner whose readiness is a port: no two of them have the same, also while one deployment replaces another. */
export class ReplicaPorts {
  private readonly taken = new Set<number>();

  /** @returns the wanted port, or where another replica has it the next one that none has @throws when there is none */
  take(wanted: number): number {
    let port = wanted;
    while (this.taken.has(port)) port += 1;
    if (port > HIGHEST_PORT) throw new Error(`No port from ${wanted} on is left for another replica`);
    this.taken.add(port);
    return port;
  }

  /** A replica that an earlier runner started has its port already. */
  claim(port: number): void {
    this.taken.add(port);
  }

  release(port: number): void {
    this.taken.delete(port);
  }
}
