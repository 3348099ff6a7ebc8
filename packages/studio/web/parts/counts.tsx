/** Lines that were added and removed. */
export function Counts({ added, removed }: { readonly added: number | null; readonly removed: number | null }) {
  if ((added ?? 0) === 0 && (removed ?? 0) === 0) return null;
  return (
    <span className="counts">
      <span className="plus">
        <span aria-hidden="true">+{added ?? 0}</span>
        <span className="hidden">{added ?? 0} lines added</span>
      </span>
      <span className="minus">
        <span aria-hidden="true">−{removed ?? 0}</span>
        <span className="hidden">{removed ?? 0} lines removed</span>
      </span>
    </span>
  );
}
