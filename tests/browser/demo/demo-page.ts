import { expect, type Locator, type Page } from 'playwright/test';

/** The demo as a user handles it. */
export class DemoPage {
  readonly page: Page;
  readonly editor: Locator;
  readonly outcome: Locator;
  readonly problem: Locator;
  readonly viewport: Locator;

  constructor(page: Page) {
    this.page = page;
    this.editor = page.getByRole('textbox', { name: 'SQL' });
    this.outcome = page.locator('#outcome');
    this.problem = page.locator('#query-error');
    this.viewport = page.getByRole('region', { name: 'Result' });
  }

  importButton(): Locator {
    return this.page.getByRole('button', { name: 'Import weather data (26,115 rows)' });
  }

  retryButton(): Locator {
    return this.page.getByRole('button', { name: 'Try again' });
  }

  /** Asks for another try to open the store, if it is not open yet, and waits until that has ended. */
  async tryAgain(): Promise<void> {
    const state = this.page.locator('#store-state');
    if ((await state.textContent()) === 'Not open') await this.retryButton().click();
    await expect(state).not.toHaveText('Opening…');
  }

  async importWeather(): Promise<void> {
    await this.importButton().click();
    await expect(this.editor).toBeVisible({ timeout: 60_000 });
    await this.settled();
  }

  /** Picks a file; the dialog that opens says what it seems to hold. */
  async pickCsv(path: string): Promise<Locator> {
    const pick = this.page.getByRole('button', { name: /CSV file/ });
    const [chooser] = await Promise.all([this.page.waitForEvent('filechooser'), pick.click()]);
    await chooser.setFiles(path);
    const dialog = this.page.getByRole('dialog');
    await expect(dialog).toBeVisible();
    return dialog;
  }

  async importCsv(path: string, timeout: number): Promise<void> {
    const dialog = await this.pickCsv(path);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(dialog).toBeHidden({ timeout });
    await this.settled();
  }

  async settled(): Promise<void> {
    await expect(this.outcome).not.toHaveText('Running…', { timeout: 60_000 });
  }

  /** Runs a text that must succeed, and gives the cells of the rows that are in the page. */
  async query(sql: string): Promise<string[][]> {
    await this.run(sql);
    await expect(this.problem).toBeEmpty();
    return this.page
      .locator('#grid tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      );
  }

  async run(sql: string): Promise<void> {
    await this.editor.click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.insertText(sql);
    await this.page.keyboard.press('ControlOrMeta+Enter');
    await this.settled();
  }
}
