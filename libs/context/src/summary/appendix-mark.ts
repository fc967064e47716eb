/** The line between what a model wrote and what code recorded. A model's text never holds it. */
export const APPENDIX_MARK = '--- recorded by code ---';

/** The model's part of a stored summary: the appendix is made anew each time, from the originals. */
export function summaryText(summary: string): string {
  const mark = summary.indexOf(APPENDIX_MARK);
  return (mark === -1 ? summary : summary.slice(0, mark)).trimEnd();
}
