import { FollowRule, type IPlaces } from '../view/endFollower';

/** A view of 500 pixels onto a page, of which an answer is a part. */
class FakeView {
  scrolled = 0;
  readonly rule = new FollowRule();

  /** @param end - Where the answer ends, from the top of the page. */
  constructor(
    public end: number,
    private readonly _below = 300
  ) {}

  get places(): IPlaces {
    return {
      end: this.end - this.scrolled,
      viewTop: 0,
      viewBottom: 500,
      scrolled: this.scrolled,
      isAtBottom: this.scrolled >= this._most
    };
  }

  /** Return whether the end is in view. */
  get isSeen(): boolean {
    const end = this.end - this.scrolled;
    return end >= 0 && end <= 500;
  }

  grow(by: number): void {
    this.end += by;
    this.scrolled = Math.min(this.scrolled, this._most);
    this.scrolled += this.rule.grow(this.places);
    this.scrolled = Math.min(this.scrolled, this._most);
    this.rule.scrolledTo(this.scrolled);
    this.rule.scroll(this.places);
  }

  /** Scroll as a person does. */
  scroll(by: number): void {
    this.scrolled = Math.max(0, Math.min(this._most, this.scrolled + by));
    this.rule.scroll(this.places);
  }

  private get _most(): number {
    return Math.max(0, this.end + this._below - 500);
  }
}

it('The view follows an end that was in view', () => {
  const view = new FakeView(100);
  view.rule.begin(view.places);
  for (let lines = 0; lines < 100; lines += 1) {
    view.grow(20);
    expect(view.isSeen).toBe(true);
  }
});

it('An end that was out of view is not followed, from above or from below', () => {
  for (const scrolled of [0, 900]) {
    const view = new FakeView(700, 2000);
    view.scrolled = scrolled;
    view.rule.begin(view.places);
    for (let lines = 0; lines < 100; lines += 1) {
      view.grow(20);
    }
    expect(view.scrolled).toBe(scrolled);
  }
});

it.each([1, 20, 400])('A scroll of %s pixels up stops it', up => {
  const view = new FakeView(100, 0);
  view.rule.begin(view.places);
  view.grow(2000);
  view.scroll(-up);
  const { scrolled } = view;
  view.grow(500);
  expect(view.scrolled).toBe(scrolled);

  view.scroll(20);
  view.grow(500);
  expect(view.scrolled).toBe(scrolled + 20);

  view.scroll(100_000);
  view.grow(500);
  expect(view.isSeen).toBe(true);
});

it('An answer that becomes shorter is still followed', () => {
  const view = new FakeView(100, 0);
  view.rule.begin(view.places);
  view.grow(2000);
  view.grow(-1000);
  view.grow(1500);
  expect(view.isSeen).toBe(true);
});
