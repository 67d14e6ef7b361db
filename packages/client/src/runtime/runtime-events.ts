/** An event that a runtime reports to its program: for a person's eyes, or as a line of JSON. */
export interface RuntimeEvent {
  readonly level: 'info' | 'warning' | 'error';
  /** A short, stable name: `registered`, `command`, `service_lost`, ... */
  readonly event: string;
  /** One sentence for people. It never contains a secret. */
  readonly message: string;
  readonly deployment_id?: string;
  /** The index of a replica. */
  readonly replica?: number;
}

export type EventListener = (event: RuntimeEvent) => void;
