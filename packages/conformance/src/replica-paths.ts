/** Where a program of the kit's holds its connection; an agent's own connections have another path. */
export const PROGRAM_PATH = '/program';
/** Answers 200 when replicas may be ready. */
export const READINESS_PATH = '/ready';
/** Of {@link PROGRAM_PATH}: how long the program takes to end once it is asked to; milliseconds. */
export const END_PARAMETER = 'end-ms';
