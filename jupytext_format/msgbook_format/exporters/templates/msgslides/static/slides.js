(() => {
  const slides = Array.from(document.querySelectorAll('.msg-Title, .msg-Slide'));
  const near = 4;
  const height = () => document.documentElement.clientHeight;
  const top = slide => slide.getBoundingClientRect().top;
  const current = () =>
    Math.max(0, slides.findLastIndex(slide => top(slide) <= near));
  const show = index =>
    slides[Math.min(Math.max(index, 0), slides.length - 1)].scrollIntoView({
      behavior: 'instant'
    });
  const isLong = (slide, forward) =>
    forward
      ? slide.getBoundingClientRect().bottom > height() + near
      : top(slide) < -near;
  // A slide that is longer than the screen is read to its end first.
  const page = forward => {
    const at = current();
    if (!isLong(slides[at], forward)) {
      show(at + (forward ? 1 : -1));
    } else if (forward) {
      const rest = slides[at].getBoundingClientRect().bottom - height();
      scrollBy({ top: Math.min(0.85 * height(), rest), behavior: 'instant' });
    } else {
      const above = Math.max(-0.85 * height(), top(slides[at]));
      scrollBy({ top: above, behavior: 'instant' });
    }
  };
  const moves = {
    ArrowRight: () => show(current() + 1),
    ArrowLeft: () => show(current() - (isLong(slides[current()], false) ? 0 : 1)),
    ArrowDown: () => page(true),
    ArrowUp: () => page(false),
    PageDown: () => page(true),
    PageUp: () => page(false),
    ' ': event => page(!event.shiftKey),
    Home: () => show(0),
    End: () => show(slides.length - 1)
  };
  addEventListener('keydown', event => {
    const move = moves[event.key];
    const isOther = event.ctrlKey || event.metaKey || event.altKey;
    // The space bar opens what is folded.
    const isPressed = event.key === ' ' && event.target.closest('summary, a');
    if (move && !isOther && !isPressed && slides.length > 0) {
      event.preventDefault();
      move(event);
    }
  });
})();
