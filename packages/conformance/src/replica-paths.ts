/** Path at which a program of the kit holds its connection; an agent's own connections have another one. */
export const PROGRAM_PATH = '/program';
/** Answers 200 when replicas may be ready. */
export const READINESS_PATH = '/ready';
/** Parameter of {@link PROGRAM_PATH}: time that the program takes to end once it is asked to; milliseconds. */
export const END_PARAMETER = 'end-ms';
