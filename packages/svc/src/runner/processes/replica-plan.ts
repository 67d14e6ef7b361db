/** A present replica, or one that is about to start. */
export interface PresentReplica {
  readonly index: number;
  readonly startGeneration: number;
}

export interface WantedReplicas {
  readonly replicas: number;
  readonly startGeneration: number;
  /** True: replicas from earlier starts stay, and are replaced later, one after another. */
  readonly rolling: boolean;
}

export interface ReplicaPlan {
  /** Indexes of replicas to end, the highest first. */
  readonly end: readonly number[];
  /**
   * Indexes of replicas to start, the lowest first; one that is in both lists is replaced: it ends before it starts.
   */
  readonly start: readonly number[];
}

/** The steps after which the replicas 0 to n-1 run, unless rolling each from the last requested start. Pure. */
export function planReplicas(wanted: WantedReplicas, present: readonly PresentReplica[]): ReplicaPlan {
  const stays = ({ index, startGeneration }: PresentReplica) =>
    index < wanted.replicas && (wanted.rolling || startGeneration >= wanted.startGeneration);
  const staying = new Set(present.filter(stays).map(({ index }) => index));
  const end = present.filter((replica) => !stays(replica)).map(({ index }) => index);
  const all = Array.from({ length: wanted.replicas }, (_, index) => index);
  return { end: end.sort((one, other) => other - one), start: all.filter((index) => !staying.has(index)) };
}
