/** What follows from a value that never changes, made when it is first asked for and kept as long as the value is. */
export function madeOnce<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const known = new WeakMap<Of, { made: Made }>();
  return (of) => {
    let kept = known.get(of);
    if (kept === undefined) {
      kept = { made: make(of) };
      known.set(of, kept);
    }
    return kept.made;
  };
}
