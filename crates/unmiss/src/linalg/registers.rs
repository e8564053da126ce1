//! Functions for the widest registers of the machine.

/// Compiles a function twice, for any processor and for one with 256-bit registers, and takes at run time
/// what the processor can do. The arithmetic is the same (nothing is fused), and so is the result.
macro_rules! vectorised {
    ($(#[$attribute:meta])* $access:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$attribute])*
        $access fn $name($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            fn body($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide($($argument: $type),*) $(-> $result)? {
                    body($($argument),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor was just asked whether it has these instructions.
                    return unsafe { wide($($argument),*) };
                }
            }
            body($($argument),*)
        }
    };
}
pub(crate) use vectorised;
