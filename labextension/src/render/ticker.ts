/** Calls a function each second while it is started and the page is to be seen. */
export class Ticker {
  constructor(tick: () => void) {
    this._tick = tick;
  }

  start(): void {
    if (!this._started) {
      this._started = true;
      document.addEventListener('visibilitychange', this._onVisibility);
      this._run();
    }
  }

  stop(): void {
    this._started = false;
    document.removeEventListener('visibilitychange', this._onVisibility);
    this._pause();
  }

  private _run(): void {
    if (!document.hidden) {
      this._timer ??= window.setInterval(this._tick, 1000);
    }
  }

  private _pause(): void {
    window.clearInterval(this._timer);
    this._timer = undefined;
  }

  private readonly _onVisibility = (): void => {
    if (document.hidden) {
      this._pause();
    } else {
      this._tick();
      this._run();
    }
  };

  private readonly _tick: () => void;
  private _started = false;
  private _timer: number | undefined;
}
