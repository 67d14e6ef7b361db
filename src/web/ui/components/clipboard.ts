/** Where the page is no secure context there is no clipboard, but a selection can still be copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

function copySelection(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // inside an open dialog, which keeps the focus to itself
  (document.querySelector('[role="dialog"]') ?? document.body).append(area);
  area.select();
  // deprecated, and the only way without a secure context
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
