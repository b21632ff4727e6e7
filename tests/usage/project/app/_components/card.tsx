export function Card({ title, onSale = false }: { title: string; onSale?: boolean }) {
  return (
    <article aria-label={title} data-testid="card">
      <h2>{title}</h2>
      {onSale && <p>On sale</p>}
      <form method="post">
        <label>
          Amount <input name="amount" type="number" value="1" />
        </label>
        <button type="submit">Buy</button>
      </form>
    </article>
  );
}
