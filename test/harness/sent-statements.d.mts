/** The distinct statements that the service's pools have sent in this worker, without those that earlier calls returned. */
export function takeStatements(): string[];
/** A statement that could not be judged, for the next call of {@link takeStatements}. */
export function returnStatement(text: string): void;
