export const MAXIMUM_OF_32_BITS: number;
export const document: any;
export function mismatches(pointer: string, value: unknown): string[];
export function schemaProblems(schema: object, value: unknown): string[];
export function isOf(schema: object, value: unknown): boolean;
export function resolved(item: any, pointers: readonly string[]): [any, readonly string[]];
export function pointerTo(...steps: string[]): string;
