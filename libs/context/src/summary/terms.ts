/** Words that tell nothing of a topic, in the languages that the demonstration and the test sessions speak. */
const STOP_WORDS = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can could did do does doing down for from get had has have having he her here him his how i if in into is it its just let like may me might more most my no not now of on one only or our out over own please she should so some such than that the their them then there these they this those through to too under up us very was we were what when where which while who whom why will with would yes you your ' +
    'come get give happen happens happened know like mean means need see tell want work ' +
    'der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren wird werden wie was wo wann ich du er sie es wir ihr mein dein sein nicht auch noch nur von vom zu zum zur mit bei nach aus auf für im in an am als dass ' +
    'le la les un une des du de et ou mais est sont que qui quoi je tu il elle nous vous ils ne pas pour dans sur avec ce cette mon ma mes votre ' +
    'el los las unos unas y o pero es son qué que quién yo tú él ella nosotros no por para en con su mi lo se ' +
    'и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня еще о из ему когда ли или это мы для есть быть этот какой где'
  ).split(' '),
);

const CJK =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+|[\p{L}\p{M}\p{N}_]+/gu;

/**
 * Terms of a text, in order, with repetitions: stems of words where a script separates words, pairs of characters where it
 * does not (a lone character stands for itself). Stop words are left out.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text.normalize('NFC').toLowerCase().matchAll(RUN)) {
    if (CJK.test(run)) terms.push(...pairs(run));
    else for (const word of splitMixed(run)) if (!STOP_WORDS.has(word)) terms.push(stem(word));
  }
  return terms;
}

/** A run of letters may hold characters of an unseparated script in its middle ("iphone手机"). */
function splitMixed(run: string): string[] {
  return run.split('_').filter((word) => word !== '' && (word.length > 1 || /\p{N}/u.test(word)));
}

function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}

/** Suffixes that carry number, tense or case, longest first. What stays is at least three letters; a light stemmer, not a linguist. */
const LATIN = [
  'ations',
  'ation',
  'ments',
  'ment',
  'ities',
  'ings',
  'ing',
  'ers',
  'ies',
  'ied',
  'ed',
  'er',
  'es',
  'en',
  'ly',
  's',
  'e',
  'y',
];
const CYRILLIC = [
  'иями',
  'ами',
  'ями',
  'ого',
  'его',
  'ому',
  'ему',
  'ыми',
  'ими',
  'ать',
  'ять',
  'ить',
  'еть',
  'ется',
  'ая',
  'яя',
  'ое',
  'ее',
  'ые',
  'ие',
  'ой',
  'ый',
  'ий',
  'ом',
  'ем',
  'ах',
  'ях',
  'ов',
  'ев',
  'ия',
  'ию',
  'ии',
  'ть',
  'а',
  'я',
  'о',
  'е',
  'ы',
  'и',
  'у',
  'ю',
  'ь',
  'й',
];

function stem(word: string): string {
  if (/\p{N}/u.test(word)) return word;
  const suffixes = /^\p{Script=Cyrillic}+$/u.test(word) ? CYRILLIC : /^\p{Script=Latin}+$/u.test(word) ? LATIN : [];
  const suffix = suffixes.find((ending) => word.length - ending.length >= 3 && word.endsWith(ending));
  const root = suffix === undefined ? word : word.slice(0, word.length - suffix.length);
  return root.length > 4 && root.at(-1) === root.at(-2) ? root.slice(0, -1) : root;
}
