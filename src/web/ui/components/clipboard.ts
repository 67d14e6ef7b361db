/** Copies text. Outside a secure context there is no clipboard API, but a selection can be copied. */
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
  // inside an open dialog, because it keeps the focus
  (document.querySelector('[role="dialog"]') ?? document.body).append(area);
  area.select();
  // deprecated, but the only way outside a secure context
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
