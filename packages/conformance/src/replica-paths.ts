/** Path at which a program of the kit holds its connection; an agent's own connections have another one. */
export const PROGRAM_PATH = '/program';
/** Path at which a process that a program of the kit has started holds its connection. */
export const CHILD_PATH = '/child';
/** Answers 200 when replicas may be ready. */
export const READINESS_PATH = '/ready';
/** Parameter of {@link PROGRAM_PATH}: time that the program takes to end once it is asked to; milliseconds. */
export const END_PARAMETER = 'end-ms';
/** Parameter of {@link PROGRAM_PATH}: the program starts a process that holds a connection at {@link CHILD_PATH}. */
export const CHILD_PARAMETER = 'child';
/** Path before the id of a run at which its work holds a connection. */
export const RUN_PATH = '/run/';
/** The same for work that is a program of the kit. */
export const RUN_PROGRAM_PATH = '/run-program/';
