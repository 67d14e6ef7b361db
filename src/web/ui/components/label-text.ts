/** Returns true if a text is a label as people write it: `key:value`. Pure. */
export const isLabelText = (text: string): boolean => /^[^:]+:./.test(text);
