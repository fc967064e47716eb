import { isWellFormed } from '../shape/index.js';
import { extractiveAnswer } from './extractive-answer.js';

const handbook = `# Returns
You can return any product within 30 days of delivery. The product must be unused and in its box.
Refunds are paid to the card that was used, usually within 5 working days.

## Damaged goods
If a parcel arrives damaged, send a photo to help@example.com within 48 hours. We replace it free of charge.

# Shipping
- Standard shipping takes 3 to 5 working days and costs 4.90 EUR.
- Express shipping takes one working day and costs 12.90 EUR.
We ship to the EU, Norway and Switzerland, e.g. to Zurich by Dr. Oetker Ltd. trucks.

# Accounts
To reset your password, open Settings, choose Security and press Reset. A link is sent by e-mail.`;

const ask = (question: string, texts = [handbook], maxChars = 400): string =>
  extractiveAnswer({ question, texts, maxChars }).text;

describe('extractiveAnswer', () => {
  it('finds the sentence that answers, across word forms', () => {
    expect(ask('How many days do I have for returning a product?')).toContain('within 30 days');
    expect(ask('When will I be refunded?')).toContain('within 5 working days');
    expect(ask('how do i reset the password')).toContain('choose Security');
    expect(ask('What does express shipping cost?')).toContain('12.90 EUR');
    expect(ask('My parcel was damaged, what now?')).toContain('send a photo');
    expect(ask('Do you ship to Switzerland?')).toContain('Norway and Switzerland');
  });

  it('leaves out what has nothing to do with the question', () => {
    expect(ask('What does express shipping cost?')).not.toContain('password');
    expect(ask('How do I reset my password?')).not.toContain('parcel');
  });

  it('does not end a sentence at an abbreviation or a decimal point', () => {
    expect(ask('Do you ship to Zurich?')).toContain('e.g. to Zurich by Dr. Oetker Ltd. trucks.');
    expect(ask('standard shipping cost')).toContain('costs 4.90 EUR.');
  });

  it('says so when nothing fits', () => {
    expect(extractiveAnswer({ question: 'Who won the chess championship?', texts: [handbook], maxChars: 400 })).toEqual(
      { text: 'I found nothing about that in what I was given.', found: false },
    );
    expect(extractiveAnswer({ question: 'anything', texts: [], maxChars: 400 }).found).toBe(false);
  });

  it('answers a greeting and thanks without looking anything up', () => {
    expect(ask('Hello there!')).toMatch(/^Hello/u);
    expect(ask('thanks a lot')).toMatch(/welcome/u);
  });

  it('splits and matches Chinese and Russian', () => {
    const chinese = '退货政策：商品签收后三十天内可以退货。退款将在五个工作日内到账。标准配送需要三到五个工作日。';
    expect(ask('退款多久到账？', [chinese])).toContain('五个工作日内到账');
    expect(ask('退款多久到账？', [chinese], 20)).not.toContain('标准配送');
    const russian =
      'Возврат товара возможен в течение 30 дней. Деньги возвращаются на карту за пять рабочих дней. Доставка стоит 300 руб. по городу.';
    expect(ask('Сколько стоит доставка?', [russian])).toContain('Доставка стоит 300 руб. по городу.');
  });

  it('stays within its bound and well-formed, also with sentences longer than it (row 100)', () => {
    const long = `The parcel ${'📥'.repeat(900)} end.`;
    for (const maxChars of [0, 1, 50, 399, 400, 401]) {
      const { text, found } = extractiveAnswer({ question: 'parcel', texts: [long], maxChars });
      expect(isWellFormed(text)).toBe(true);
      if (found) expect([...text].length).toBeLessThanOrEqual(maxChars);
    }
  });
});
