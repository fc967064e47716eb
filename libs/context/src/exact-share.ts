/**
 * floor(whole × ratio) with the ratio as the decimal it was written as: 100 × 0.29 is 29, not the 28 of binary fractions.
 * `whole` is a whole number, `ratio` positive and finite.
 */
export function exactShare(whole: number, ratio: number): number {
  const [mantissa = '0', exponent = '0'] = String(ratio).split('e');
  const [ahead = '0', behind = ''] = mantissa.split('.');
  const scale = behind.length - Number(exponent);
  const product = BigInt(whole) * BigInt(ahead + behind) * 10n ** BigInt(Math.max(0, -scale));
  return Number(product / 10n ** BigInt(Math.max(0, scale)));
}
