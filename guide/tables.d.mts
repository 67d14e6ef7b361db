export function readTable(text: string): { columns: string[]; rows: Record<string, string>[] };
export function pagesOf(row: Record<string, string>): string[];
export function tablePage(name: string, text: string): string;
