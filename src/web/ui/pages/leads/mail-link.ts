/**
 * A link that writes to an address. Each part is encoded, because an address may contain `?` and `&`, with which a
 * stranger could add recipients and text to the message.
 */
export function mailLink(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, host] = [address.slice(0, at), address.slice(at + 1)];
  return `mailto:${encodeURIComponent(local)}@${encodeURIComponent(host)}`;
}
