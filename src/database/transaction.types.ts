import type { EntityManager } from 'typeorm';

/**
 * An open transaction. Every write that has to be atomic takes one as its required first parameter, so that
 * forgetting the transaction does not compile.
 */
export type Transaction = EntityManager;
