//! Pagination.

pub const MAX_PER_PAGE: u64 = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub page: u64,
    pub per_page: u64,
}

impl Window {
    pub const FIRST: Self = Self { page: 1, per_page: 10 };

    pub const fn new(page: u64, per_page: u64) -> Self {
        let per_page = if per_page > MAX_PER_PAGE { MAX_PER_PAGE } else { per_page };
        Self { page, per_page }
    }

    /// The number of items before this page.
    pub const fn offset(self) -> u64 {
        self.page.saturating_sub(1).saturating_mul(self.per_page)
    }

    pub const fn pages(self, total: u64) -> u64 {
        total.div_ceil(self.per_page)
    }

    /// The items of `all` on this page.
    pub fn slice<T>(self, all: &[T]) -> &[T] {
        let start = usize::try_from(self.offset()).unwrap_or(usize::MAX).min(all.len());
        let end = start.saturating_add(usize::try_from(self.per_page).unwrap_or(usize::MAX)).min(all.len());
        &all[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_its_part_of_the_whole() {
        let all: Vec<u32> = (0..25).collect();
        assert_eq!(Window::new(3, 10).slice(&all), &[20, 21, 22, 23, 24]);
        assert_eq!(Window::new(4, 10).slice(&all), &[] as &[u32]);
        assert_eq!(Window::new(u64::MAX, 10_000).slice(&all), &[] as &[u32]);
        assert_eq!(
            (Window::new(1, 10).pages(0), Window::new(1, 10).pages(10), Window::new(1, 10).pages(11)),
            (0, 1, 2)
        );
        assert_eq!(Window::new(1, 1_000_000).per_page, MAX_PER_PAGE);
    }
}
